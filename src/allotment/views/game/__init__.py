"""The commons game as pages: one for each team, one for the facilitator, and the room that all of them share."""
