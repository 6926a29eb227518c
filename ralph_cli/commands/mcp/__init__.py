"""Offers ralph as tools to agents, by the Model Context Protocol."""
