"""Ten robot players: ordinary participants, who know what they hear and are whispered, and nothing else."""
