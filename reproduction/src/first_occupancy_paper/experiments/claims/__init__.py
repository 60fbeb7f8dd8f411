"""Which of the statements that the paper makes without a figure hold?"""
