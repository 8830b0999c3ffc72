"""The parts of one agent besides its memory: settings, senses and hands (Actor), decisions (Thinker), traces."""
