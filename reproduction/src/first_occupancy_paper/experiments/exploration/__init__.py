"""Does the FR make a better exploration bonus than the SR, as in Tables 1 and 2?"""
