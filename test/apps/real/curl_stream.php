<?php
// PHP's curl with a function that takes the stream as it comes.
$rest = '';
$curl = curl_init(getenv('INTERN_BASE_URL') . '/interns/' . getenv('INTERN_INTERN_ID') . '/chat/completions');
curl_setopt_array($curl, [
    CURLOPT_HTTPHEADER => ['Authorization: Bearer ' . getenv('INTERN_API_KEY'), 'Content-Type: application/json'],
    CURLOPT_POSTFIELDS => json_encode(['stream' => true, 'messages' => [['role' => 'user', 'content' => 'one two three']]]),
    CURLOPT_FAILONERROR => true,
    CURLOPT_WRITEFUNCTION => function ($curl, $piece) use (&$rest) {
        $lines = explode("\n", $rest . $piece);
        $rest = array_pop($lines);
        foreach ($lines as $line) {
            if (!str_starts_with($line, 'data: ') || trim($line) === 'data: [DONE]') continue;
            echo json_decode(substr($line, 6), true)['choices'][0]['delta']['content'] ?? '';
        }
        return strlen($piece);
    },
]);
if (curl_exec($curl) === false) {
    fwrite(STDERR, curl_error($curl) . "\n");
    exit(1);
}
