"""Questions that follow on one another: one further question, and a prompt for many."""
