"""Commands about this machine and the services that it can reach."""
