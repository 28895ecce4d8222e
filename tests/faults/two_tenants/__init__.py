"""Two organisations under ten minutes of trouble: their rows, the trouble, and a browser that reads their pages."""
