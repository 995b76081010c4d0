"""Which product a documentation host tells about, for the hosts of Google's Developer Knowledge. Data, no rules."""

# As the reference page of the Developer Knowledge API lists them.
PRODUCTS = {
    "adk.dev": "ADK",
    "ai.google.dev": "Google AI",
    "antigravity.google": "Google Antigravity",
    "cloud.google.com": "Google Cloud",
    "dart.dev": "Dart",
    "developer.android.com": "Android",
    "developer.chrome.com": "Chrome",
    "developers.google.com": "Google Developers",
    "developers.home.google.com": "Google Home",
    "docs.apigee.com": "Apigee",
    "docs.cloud.google.com": "Google Cloud",
    "docs.flutter.dev": "Flutter",
    "firebase.google.com": "Firebase",
    "fuchsia.dev": "Fuchsia",
    "geminicli.com": "Gemini CLI",
    "genkit.dev": "Genkit",
    "go.dev": "Go",
    "knowledge.workspace.google.com": "Google Workspace",
    "mapsplatform.google.com": "Google Maps Platform",
    "web.dev": "Web",
    "www.tensorflow.org": "TensorFlow",
}


def product_of(host: str) -> str:
    """The product's label; empty for a host that is not among them."""
    return PRODUCTS.get(host.lower(), "")
