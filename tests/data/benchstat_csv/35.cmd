benchstat -format csv -col note neg.txt
