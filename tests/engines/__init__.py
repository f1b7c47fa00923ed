"""Tests of the engines beside the multi-pass one."""
