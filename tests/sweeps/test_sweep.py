"""Sweeps through the Python interface: grids, workers, failures."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import psutil
import pytest
from short_trials import TRIALS, Config
