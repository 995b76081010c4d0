"""Pages about an invented product, as a Developer Knowledge server has them. Not how they are served.

As in the reference, the name's host and the address' host differ: `documents/docs.cloud.example.com/…` is read at
`https://cloud.example.com/…`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

HOST = "docs.cloud.example.com"


@dataclass(frozen=True)
class UpstreamPage:
    """A document as the server holds it."""

    name: str
    uri: str
    title: str
    description: str
    content: str


def page_from(content: str, path: str, host: str = HOST) -> UpstreamPage:
    """A page of the path; its title is the first heading, its description the first paragraph."""
    title = content.partition("\n")[0].lstrip("# ")
    description = content.split("\n\n")[1] if "\n\n" in content else ""
    uri = f"https://{host.removeprefix('docs.')}/{path}" if host == HOST else f"https://{host}/{path}"
    return UpstreamPage(f"documents/{host}/{path}", uri, title, description, content)


def pages_from(texts: Mapping[str, str], base: str) -> tuple[UpstreamPage, ...]:
    """Markdown files by their path, under an address such as `https://docs.example.com/plant`."""
    host, _, folder = base.partition("://")[2].partition("/")
    paths = {path: path.removesuffix(".md").removesuffix("/index") for path in texts}
    return tuple(page_from(text, f"{folder}/{paths[path]}", host) for path, text in texts.items())


_TEXTS = {
    "kestrel/overview": """\
# Kestrel overview

Kestrel is a message queue that keeps messages until a worker has confirmed them.

## What it is for

Use Kestrel to hand work from a web server to workers that run elsewhere. A message may hold up to 256 KiB. Larger
payloads belong in a bucket, and the message then holds their address.

## What it is not

Kestrel is not a database. A message that was confirmed cannot be read again.
""",
    "kestrel/create-queue": """\
# Create a queue

A queue belongs to one region and cannot be moved later.

## Before you begin

You need the role `kestrel.admin` in the project.

## Create it on the command line

1. Choose a region near your workers.
2. Run the command:

```sh
kestrel queues create orders --region eu-north
```

3. Wait until the state is `READY`, which takes about 30 seconds.

A queue's name has 3 to 63 letters, digits and hyphens. It must begin with a letter.
""",
    "kestrel/retention": """\
# Message retention

Kestrel keeps an unconfirmed message for 7 days by default.

## Change the retention

Set `retentionDays` to a value from 1 to 31. A change applies to new messages only. Messages that are already in the
queue keep the retention that they came with.

```sh
kestrel queues update orders --retention-days 14
```

## What happens at the end

An expired message is moved to the dead-letter queue when there is one. Otherwise it is deleted.
""",
    "kestrel/dead-letter": """\
# Dead-letter queues

A dead-letter queue takes the messages that could not be delivered.

## When a message goes there

After 5 failed deliveries a message is moved to the dead-letter queue. Set `maxDeliveries` to change this number, from
1 to 100. The reason stands in the attribute `kestrel.reason`.

## Deliver again

Run `kestrel messages redrive orders-dead --to orders` to send all messages back. Redriving keeps the order of messages
within a key.
""",
    "kestrel/quotas": """\
# Quotas and limits

Each project starts with these quotas.

| Quota | Value |
| --- | --- |
| Queues in a project | 100 |
| Publish requests | 6000 a minute |
| Size of a message | 256 KiB |

## Raise a quota

Ask for more in the console under **Quotas**. An answer takes up to two working days. The size of a message cannot be
raised.
""",
    "kestrel/authentication": """\
# Authentication

Kestrel accepts service accounts and short-lived tokens, but no API keys.

## Service accounts

Give the account the role `kestrel.publisher` to publish and `kestrel.worker` to receive. A worker does not need
`kestrel.admin`.

## Tokens

A token is valid for 60 minutes. Clients renew it 5 minutes before it ends. A request with an expired token is answered
with `401 UNAUTHENTICATED`.
""",
    "kestrel/ordering": """\
# Message ordering

Messages with the same ordering key are delivered in the order in which they were published.

## Turn it on

Create the queue with `--ordered`. Ordering cannot be turned on for a queue that exists.

## What it costs

An ordered queue delivers at most 500 messages per second and key. Without ordering there is no such limit.
""",
    "kestrel/monitoring": """\
# Monitoring

Kestrel reports its metrics every 60 seconds.

## Metrics to watch

The metric `queue/oldest_unconfirmed_age` tells how long the oldest message has been waiting. An alert at 10 minutes
suits most queues. The metric `queue/dead_letter_count` should stay at zero.

## Logs

Delivery errors are written to the log `kestrel.deliveries`. Message bodies are never logged.
""",
    "kestrel/pricing": """\
# Pricing

You pay for operations and for stored messages.

## Operations

The first 2 million operations of a month are free. After that one million operations costs 0.40 dollars. A publish, a
delivery and a confirmation are one operation each.

## Storage

Stored messages cost 0.05 dollars per gigabyte and day, beginning with the second day.
""",
    "kestrel/delete-queue": """\
# Delete a queue

Deleting a queue deletes all messages in it, and this cannot be undone.

## Steps

1. Stop all workers of the queue.
2. Run the command:

```sh
kestrel queues delete orders --confirm orders
```

A name can be used again 24 hours after the queue was deleted.
""",
}

PAGES = tuple(page_from(content, path) for path, content in _TEXTS.items())
