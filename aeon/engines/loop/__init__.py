"""Loop: classify, plan, execute, verify, respond; the verifier's reason goes into the retry."""
