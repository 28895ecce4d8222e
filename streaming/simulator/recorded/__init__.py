"""A recorded run of the reference: its rows, clocks, panes and origins, and the rows that windows missed."""
