"""JSON Schemas, of tools as of answers: references written out or followed to their end, patterns in linear time."""
