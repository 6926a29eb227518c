"""An evaluation: questions whose answers are known, put to `ralph qa`, and what came of each."""
