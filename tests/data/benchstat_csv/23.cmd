benchstat -format csv -col note smalln.txt
