"""A run of acme's that reports, at 12:00 of the clock that the API follows."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.webapp.live.reporting import Reporting
from tests.webapp.scene import Scene


@pytest.fixture
def reporting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Reporting:
    monkeypatch.setattr(timezone, "now", scene.clock)
    found = Reporting(scene)
    earlier = scene.clock() - timedelta(hours=1)
    found.state(created_at=earlier, changed_at=earlier, observed="running", observed_at=1)
    scene.lease()
    return found
