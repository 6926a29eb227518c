"""The engine that runs snippets in Pyodide, inside Deno."""
