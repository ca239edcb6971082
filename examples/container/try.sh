# What other containers do, by the name that the emulator is called by.
export CONTROL_TOKEN=secret
sh container/serve.sh >serve.log 2>&1 &
here=http://127.0.0.1:$INTERN_EMULATOR_PORT
until curl -sf "$here/_emulator/health"; do sleep 0.2; done
curl -sf "$here/api/v1/interns" -H 'Host: emulator:4683' -H 'Authorization: Bearer emu-key-alice-0000000000000000'
curl -sf "$here/_emulator/target" -H "Authorization: Bearer $CONTROL_TOKEN" | grep -o '"base_url":"[^"]*"'
! curl -sf "$here/_emulator/target"
kill -TERM $!
while curl -sf "$here/_emulator/health" >/dev/null; do sleep 0.2; done
echo stopped
