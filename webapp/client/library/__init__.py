"""The Python library: streams, queries and bindings as typed objects, pushed rows, results, subscriptions.

from punctual_client import Client

client = Client.from_env()
client.stream("cars").push(frame)
for row in client.binding("speeding").current(key={"plate": "AB 1"}).rows: ...
client.binding("speeding").results().pandas()
async for row in client.binding("speeding").subscribe(): ...
"""
