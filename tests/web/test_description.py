"""The OpenAPI description, tried out by Schemathesis: whatever it allows is answered as it says."""

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig

LEAN = 12
"""Examples of each kind here; a run by hand of 400 each found nothing either."""


@pytest.fixture(scope="module")
def description(address):
    return schemathesis.openapi.from_url(f"{address}/openapi.json", config=SchemathesisConfig())


schema = schemathesis.pytest.from_fixture("description")


@schema.parametrize()
@settings(max_examples=LEAN, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_server_keeps_to_its_description(case):
    case.call_and_validate(timeout=60)
