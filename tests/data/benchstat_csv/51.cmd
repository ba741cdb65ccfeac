benchstat -format csv -col note noties.txt
