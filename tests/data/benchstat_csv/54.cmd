benchstat -format csv -col note n39.txt
