"""`python -m ralph_cli` is `ralph`."""

from ralph_cli.commands.app import main

main()
