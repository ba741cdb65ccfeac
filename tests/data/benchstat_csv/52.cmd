benchstat -format csv -col note -alpha 0.1 smalln.txt
