"""What the commands do, without anybody to talk to: a request and an environment to a result."""
