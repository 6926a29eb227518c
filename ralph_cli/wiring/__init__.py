"""The composition root: settings in, models, sandbox, checks and modes out; the only place that knows everybody."""
