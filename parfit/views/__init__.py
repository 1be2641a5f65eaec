"""What fills the whole screen: values that keys change, and how they look; nothing here knows a terminal."""
