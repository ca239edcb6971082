// Go's net/http with its default client, and a scanner that reads the stream line by line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	url := os.Getenv("INTERN_BASE_URL") + "/interns/" + os.Getenv("INTERN_INTERN_ID") + "/chat/completions"
	body := `{"stream": true, "messages": [{"role": "user", "content": "one two three"}]}`
	request, _ := http.NewRequest("POST", url, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("INTERN_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatal(response.Status)
	}
	scanner := bufio.NewScanner(response.Body)
	for scanner.Scan() {
		data := strings.TrimPrefix(scanner.Text(), "data: ")
		if data == scanner.Text() || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			log.Fatal(err)
		}
		for _, choice := range chunk.Choices {
			fmt.Print(choice.Delta.Content)
		}
	}
	if err := scanner.Err(); err != nil {
		log.Fatal(err)
	}
}
