# `-k` stops the emulator when the application ends; `-s` takes the application's exit status.
npx concurrently -k -s command-app -n emulator,app 'intern-emulator --quiet' 'node concurrently/app.mjs'
