"""How the shipped reader was tuned: lines made from `prompts/training.*.yaml`, a LoRA on the base model, one GGUF file."""
