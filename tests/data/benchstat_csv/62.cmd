benchstat -format csv -row '' -col '' old.txt
