"""The parameter filter as compiled code; NumPy does the same in `bifilar.online.plain_steps`.

compiled     how these functions are compiled and where the result is kept
maps         from a state to the parameters of the regressor's columns
covariance   the factors U D U' of a covariance
filter       samples into a state
nearest      bodies that can exist, nearest to those that are believed
"""
