"""The registry entry of the output kind `webhook`."""

from streaming.adapters.kinds import OutputKind
from streaming.adapters.webhook.adapter import WebhookOutput
from streaming.adapters.webhook.options import WebhookOptions

KIND = OutputKind("webhook", "Webhook", WebhookOptions, deliver=WebhookOutput, addresses=frozenset({"url"}), menu=5)
