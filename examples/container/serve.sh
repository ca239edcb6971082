# What runs in the container. The control interface needs a token wherever it can be reached from elsewhere.
exec npx intern-emulator --host 0.0.0.0 --control-token "$CONTROL_TOKEN" \
  --public-url http://emulator:4683 --public-daemon-url http://emulator:4684
