"""Training runs from beginning to end: what `first-occupancy run jaco_reaching` does.

| looking for | module |
| --- | --- |
| the settings of a run | `run_config` |
| `train`: both phases, with rows, checkpoints and a time limit | `train` |
| all runs within one phase | `stage` |
| fine-tuning from another run's pre-training | `pretrained_runs` |
| what a run's folder contains | `run_folders` |
| rows on disk | `row_files` |
| progress and speed of a run | `pace` |
"""
