"""The kernel: pure, it decides what happens next and touches nothing."""
