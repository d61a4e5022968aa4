"""How the shipped reader is tuned: lines made from `prompts/training.*.yaml`, a LoRA on the base model, one file."""
