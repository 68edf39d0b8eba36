import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def at_the_root():
    """Names of recordings are those of the repository."""
    os.chdir(ROOT)
    (ROOT / "target").mkdir(exist_ok=True)
