"""Model adapters: an OpenAI-compatible endpoint, the embedded local model, scripted and recorded answers."""
