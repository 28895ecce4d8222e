"""Access for assistants by the Model Context Protocol: resources, tools that prove a query, plans to confirm."""
