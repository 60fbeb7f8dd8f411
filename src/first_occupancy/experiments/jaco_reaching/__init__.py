"""Fig. "apf": does pre-training with first-occupancy features speed up learning to reach?

The arm is pre-trained without rewards, by APS or APF, and then fine-tuned to reach for a brick.
`train` does both, for many runs at once; it needs MuJoCo, and at the paper's size a GPU.

    config     what a run depends on
    stage      all runs in one phase
    train      both phases, with rows, checkpoints and a limit of time
    folders    what a run leaves on disk
    pretrained fine-tuning from another run's pre-training
    progress   how far a run is, and how fast
    records    rows on disk
    kept       rows of full size that come with the project
    curves     from rows to learning curves
    plot, find, record    the experiment as `reproduce` shows it

Nothing is imported here, so that training runs where there is nothing to plot with.
"""
