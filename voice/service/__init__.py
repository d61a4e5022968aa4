"""The service that people use: tables, seats, the processes behind them, and the HTTP in front of them."""
