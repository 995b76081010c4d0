"""Which product a host tells about."""

import pytest

from app.web.products import PRODUCTS, product_of


@pytest.mark.parametrize(
    ("host", "product"),
    [
        ("docs.cloud.google.com", "Google Cloud"),
        ("cloud.google.com", "Google Cloud"),
        ("Firebase.Google.com", "Firebase"),
        ("docs.flutter.dev", "Flutter"),
        ("evil-docs.flutter.dev", ""),
        ("docs.flutter.dev.evil.example", ""),
        ("docs.example.com", ""),
        ("", ""),
    ],
)
def test_a_product_is_known_by_its_whole_host(host: str, product: str) -> None:
    assert product_of(host) == product


def test_hosts_are_written_as_addresses_have_them() -> None:
    assert all(host == host.lower().strip() and "/" not in host for host in PRODUCTS)
