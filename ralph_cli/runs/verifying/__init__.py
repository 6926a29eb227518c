"""A recorded run checked again on its document, without a model."""
