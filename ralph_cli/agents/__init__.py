"""Who is asked and what they are told: agents are data, prompts are files."""
