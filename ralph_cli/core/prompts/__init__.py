"""What is said to models and how replies are read: prompt texts, marks around data, JSON."""
