"""What is wrong with a plan or with results."""
